import pathlib
import subprocess
import sys

subprocess.run(["sh", str(pathlib.Path(__file__).with_name(sys.argv[1]))])
