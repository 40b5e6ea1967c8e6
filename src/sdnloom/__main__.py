from sdnloom.cli import main

main()
