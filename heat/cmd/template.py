"""heat-template: check, format, convert and draw templates offline."""
import sys

from heat.author import command

main = command.main

if __name__ == '__main__':
    sys.exit(main())
