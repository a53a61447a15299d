"""The chart `rlinf`, made of the constructs of rlinf_constructs, and the command line `rlinf-eks`."""
