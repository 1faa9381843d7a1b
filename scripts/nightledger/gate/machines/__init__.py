"""Messages of other machines: who may send them, what they bring about, what travels out."""
