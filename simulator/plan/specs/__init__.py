"""What parts cost: data and closed forms, without a clock."""
