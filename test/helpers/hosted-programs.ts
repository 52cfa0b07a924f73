import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type CommandHost, runHosted } from './command-host.ts'

/** Asks for each call of posthaul: it sends its words and its environment, and gets an exit code. */
const shim = (before: string) => `#!/bin/bash
${before}
exec 3<>/dev/tcp/127.0.0.1/$HOST_PORT
{ printf '%s\\0' "$PWD" "$#" "$@"; env -0; printf '\\0'; } >&3
read -r code out <&3
cat "$out.stdout"
cat "$out.stderr" >&2
exit $code
`

/** Programs for scripts of a shell, and what they ran. */
interface HostedPrograms {
  /** The folder of the programs, for the path, and where they ask. */
  readonly path: string
  readonly env: { readonly HOST_PORT: string }
  /** The exit codes and words of all calls so far. */
  readonly calls: readonly string[]
  close(): void
}

/**
 * Programs of the names that pages and scripts use, in a new folder: what they are asked runs in the process that commands
 * share, or what `exporting` is for exports. `before`: lines of a shell that may change the words.
 */
export async function hostedPrograms(
  folder: string,
  before = '',
  exporting: CommandHost['run'] = runHosted,
): Promise<HostedPrograms> {
  mkdirSync(folder)
  const calls: string[] = []
  const server = createServer((socket) => {
    let said = ''
    const answer = async () => {
      const [cwd, count, ...rest] = said.split('\0')
      const words = rest.slice(0, Number(count))
      const env = rest.slice(Number(count)).filter((text) => text.includes('='))
      const { code, stdout, stderr } = await (words[0] === 'export' ? exporting : runHosted)(
        words,
        Object.fromEntries(env.map((text) => [text.split('=', 1)[0], text.slice(text.indexOf('=') + 1)])),
        cwd,
      )
      const out = join(folder, String(calls.push(`${code} posthaul ${words.join(' ')}`)))
      writeFileSync(`${out}.stdout`, stdout)
      writeFileSync(`${out}.stderr`, stderr)
      socket.end(`${code} ${out}\n`)
    }
    socket.on('data', (chunk) => {
      said += chunk
      // Two NULs: after the last variable there is nothing more.
      if (said.endsWith('\0\0')) void answer()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const programs = { posthaul: shim(before), tool: shim(before), npx: '#!/bin/sh\nexec "$@"\n' }
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
  const { port } = server.address() as AddressInfo
  return { path: folder, env: { HOST_PORT: String(port) }, calls, close: () => void server.close() }
}
