"""One module a verb: ``OPTIONS`` names what it takes (``cli.add_options``), ``run(options, context)`` does it."""
