"""How agents are reached: one file per transport behind the protocol in `base`."""
