import CarillonBench
import Glibc

exit(await BenchProgram.run(Array(CommandLine.arguments.dropFirst())))
