"""One module a job: read, decide (domain), write, report; independent of each other."""
