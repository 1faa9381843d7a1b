"""From drafts to proposals: screened, fitted, capped, written once."""
