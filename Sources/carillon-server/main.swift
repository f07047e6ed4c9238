import CarillonServer
import Glibc

exit(
  await ServerProgram.run(
    Array(CommandLine.arguments.dropFirst()), environment: ServerProgram.processEnvironment))
