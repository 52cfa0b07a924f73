import { Command, CommanderError } from 'commander'
import type { CommandModule, Io } from './commands/command.ts'
import { EXIT, type ExitCode } from './errors.ts'
import { helpCommand } from './report/command-line.ts'
import { renderError } from './report/error.ts'
import { VERSION } from './version.ts'

interface Entry {
  readonly summary: string
  readonly load: () => Promise<CommandModule>
}

// A command's module is imported only when it is run: `posthaul --help` stays as fast as node itself.
const COMMANDS: Readonly<Record<string, Entry>> = {
  export: {
    summary: "fetch a vendor's history into a raw dataset, a window at a time",
    load: () => import('./commands/export.ts'),
  },
  transform: {
    summary: 'turn exported records into validated events, a file a UTC day',
    load: () => import('./commands/transform.ts'),
  },
  import: {
    summary: 'send events to the service, resumably, under the caps',
    load: () => import('./commands/import.ts'),
  },
  status: {
    summary: 'where an import stands, from its checkpoint',
    load: () => import('./commands/status.ts'),
  },
  check: {
    summary: 'what an import will do: volume, time, problems, the request for approval',
    load: () => import('./commands/check.ts'),
  },
  verify: {
    summary: 'compare the counts per day and event, here and in the service',
    load: () => import('./commands/verify.ts'),
  },
  groups: {
    summary: "read a project's groups, and move them",
    load: () => import('./commands/groups.ts'),
  },
  projects: {
    summary: 'list the projects a key may see',
    load: () => import('./commands/projects.ts'),
  },
  sandbox: {
    summary: 'run a local stand-in for the service, to rehearse on',
    load: () => import('./commands/sandbox.ts'),
  },
  demo: {
    summary: 'the whole way on sample data, against a sandbox',
    load: () => import('./commands/demo.ts'),
  },
}

function buildProgram(): Command {
  return new Command('posthaul')
    .description(
      'Carries product-analytics history into PostHog without losing, doubling or bending an event.',
    )
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .configureHelp({ showGlobalOptions: false })
    .exitOverride()
}

/** Runs one command line (`argv` without node and the script). Never throws; resolves to the exit code. */
export async function run(io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const program = buildProgram().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
    outputError: (text, write) => write(text.replace(/^error: /, 'posthaul: ')),
  })
  const wanted = io.argv[0] === 'help' ? io.argv[1] : io.argv.find((word) => !word.startsWith('-'))
  for (const [name, entry] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(entry.summary)
    if (name === wanted) {
      command.showHelpAfterError(`  all options: ${helpCommand(io.argv)}`)
      const module = await entry.load()
      module.configure(command, io, (result) => {
        code = result
      })
    }
  }
  try {
    await program.parseAsync([...io.argv], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    return renderError(error, io)
  }
  return code
}
