"""What reproduces the literature and is not shipped: other papers' experiments, every claim, the steps of the proofs.

``python -m reproduction`` makes all figures and checks all claims: those of ``thresher reproduce``, and these. One
module for each paper names what goes in and what comes out; :mod:`claims` has the claims, :mod:`proof_steps` the steps
that they rest on, :mod:`feasible` the question of arms with several coordinates.
"""
