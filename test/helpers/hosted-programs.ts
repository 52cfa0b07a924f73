import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type CommandHost, runHosted } from './command-host.ts'

/** Asks for each call of a program: it sends its words and its environment, and gets an exit code. */
const shim = (port: number, before: string) => `#!/bin/bash
${before}
exec 3<>/dev/tcp/127.0.0.1/${port}
{ printf '%s\\0' "$PWD" "$#" "$@"; env -0; printf '\\0'; } >&3
read -r code out <&3
cat "$out.stdout"
cat "$out.stderr" >&2
exit $code
`

interface Answer {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

type Answering = (
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
) => Promise<Answer>

/** Programs of these names in a new folder, each call of which is answered here. `before`: lines of a shell that may change the words. */
export async function answeredPrograms(
  folder: string,
  names: readonly string[],
  answer: Answering,
  before = '',
): Promise<{ close(): void }> {
  mkdirSync(folder)
  let calls = 0
  const server = createServer((socket) => {
    let said = ''
    const end = async () => {
      const [cwd = '', count, ...rest] = said.split('\0')
      const words = rest.slice(0, Number(count))
      const env = rest.slice(Number(count)).filter((text) => text.includes('='))
      const { code, stdout, stderr } = await answer(
        words,
        Object.fromEntries(env.map((text) => [text.split('=', 1)[0], text.slice(text.indexOf('=') + 1)])),
        cwd,
      )
      const out = join(folder, String(++calls))
      writeFileSync(`${out}.stdout`, stdout)
      writeFileSync(`${out}.stderr`, stderr)
      socket.end(`${code} ${out}\n`)
    }
    socket.on('data', (chunk) => {
      said += chunk
      // Two NULs: after the last variable there is nothing more.
      if (said.endsWith('\0\0')) void end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (const name of names) writeProgram(folder, name, shim(port, before))
  return { close: () => void server.close() }
}

function writeProgram(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text)
  chmodSync(join(folder, name), 0o755)
}

/** Programs for scripts of a shell, and what they ran. */
interface HostedPrograms {
  /** The folder of the programs, for the path. */
  readonly path: string
  /** The exit codes and words of all calls so far. */
  readonly calls: readonly string[]
  close(): void
}

/**
 * Programs of the names that pages and scripts use, in a new folder: what they are asked runs in the process that commands
 * share, or what `exporting` is for exports. `before`: lines of a shell that may change the words.
 */
export async function hostedPrograms(
  path: string,
  before = '',
  exporting: CommandHost['run'] = runHosted,
): Promise<HostedPrograms> {
  const calls: string[] = []
  const answer: Answering = async (words, ...place) => {
    const ended = await (words[0] === 'export' ? exporting : runHosted)(words, ...place)
    calls.push(`${ended.code} posthaul ${words.join(' ')}`)
    return ended
  }
  const { close } = await answeredPrograms(path, ['posthaul', 'tool'], answer, before)
  writeProgram(path, 'npx', '#!/bin/sh\nexec "$@"\n')
  return { path, calls, close }
}
