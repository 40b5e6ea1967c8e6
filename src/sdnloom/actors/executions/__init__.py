"""Executions of a program of actors: how many there are at three levels of independence, and their tree."""
