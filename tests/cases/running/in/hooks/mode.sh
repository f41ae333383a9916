#!/bin/sh
mode="ask"
echo "$mode"
