"""Stateless search that counts one execution per Mazurkiewicz trace, for published execution counts and for actors."""
