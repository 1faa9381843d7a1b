"""One module a verb: ``configure(parser)`` names its options, ``run(options, context)`` does it."""
