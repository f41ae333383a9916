#!/bin/sh
echo 3
