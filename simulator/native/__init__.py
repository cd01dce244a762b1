"""The native engine: carries out any plan, compiled where there is a C compiler."""
