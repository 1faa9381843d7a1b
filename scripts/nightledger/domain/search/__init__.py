"""Search: values, and the rules that read a query and rank what was found."""
