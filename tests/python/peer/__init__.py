"""Other memories set up as their own documentation says, so that Annals can be measured beside them."""
