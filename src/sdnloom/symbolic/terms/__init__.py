"""Bit-vector terms: hash-consed nodes, simplifying constructors, evaluation, text and SMT-LIB."""
