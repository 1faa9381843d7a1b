"""One module a verb: ``config/options.json`` names what it takes, ``run(options, context)`` does it."""
