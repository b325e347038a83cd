"""Run Python code in a process of its own."""
import subprocess
import sys


def output(code):
    """Return what the code prints; fail with its errors if it does."""
    ran = subprocess.run([sys.executable, '-c', code], check=False,
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
