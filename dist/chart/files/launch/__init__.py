"""What a pod runs: start Ray or join it, start the engine once every node is there, follow it, finish.

Standard library only, Python 3.10 or later, relative imports only: the chart's launch ConfigMap carries this folder and
mounts it as a package named `launch`, so that a fix needs no new image. `__main__` reads top to bottom as what happens.
"""
