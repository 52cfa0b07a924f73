import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { startProgram } from './cli-process.ts'

const ROOT = join(import.meta.dirname, '../..')

/** One line of a Dockerfile, such as `COPY`, with its words. */
interface Instruction {
  readonly name: string
  readonly flags: Readonly<Record<string, string>>
  /** What stands after name and flags: as it is written, and word by word. */
  readonly text: string
  readonly words: readonly string[]
}

/** The stages of this checkout's Dockerfile, each from its `FROM` on. */
export function dockerfile(): Instruction[][] {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
  const stages: Instruction[][] = []
  for (const line of lines.split('\n').filter((line) => line.trim() !== '')) {
    const [, name, flags, text] = /^([A-Z]+) ((?:--[\w-]+=\S+ )*)(.*)$/.exec(line)!
    if (name === 'FROM') stages.push([])
    const pairs = [...flags!.matchAll(/--([\w-]+)=(\S+)/g)].map(([, flag, value]) => [flag!, value!] as const)
    stages
      .at(-1)!
      .push({ name: name!, flags: Object.fromEntries(pairs), text: text!, words: text!.split(' ') })
  }
  return stages
}

/** What .dockerignore lets into the image's context, of this checkout. It leaves all out but some names. */
export function contextNames(): string[] {
  const [all, ...kept] = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  if (all !== '*' || kept.some((line) => !line.startsWith('!')))
    throw new Error('.dockerignore is no list of what is kept')
  const patterns = kept.map(
    (line) => new RegExp(`^${line.slice(1).replaceAll('.', '\\.').replace('*', '.*')}$`),
  )
  return readdirSync(ROOT).filter((name) => patterns.some((pattern) => pattern.test(name)))
}

/** Does what a stage says, in a folder that stands for its root. `stages`: the roots of those before it, by name. */
export async function build(
  stage: readonly Instruction[],
  root: string,
  stages: Readonly<Record<string, string>> = {},
): Promise<void> {
  let folder = root
  mkdirSync(root)
  for (const { name, flags, text, words } of stage) {
    if (name === 'WORKDIR') {
      folder = join(root, text)
      mkdirSync(folder, { recursive: true })
    }
    if (name === 'COPY') copy(words, flags.from === undefined ? undefined : stages[flags.from]!, folder, root)
    if (name === 'RUN') {
      const env = { HOME: process.env.HOME ?? '', npm_config_prefer_offline: 'true' }
      const { code, stderr, stdout } = await startProgram('sh', ['-c', text], { cwd: folder, env }).ended
      if (code !== 0) throw new Error(`RUN ${text}: ${stderr}${stdout}`)
    }
  }
}

/** A copy of a folder or a file that takes no room of its own, and little time. */
function link(source: string, to: string): void {
  const isFolder = statSync(source).isDirectory()
  mkdirSync(isFolder ? to : join(to, '..'), { recursive: true })
  execFileSync('cp', ['-al', isFolder ? `${source}/.` : source, to])
}

function copy(words: readonly string[], from: string | undefined, folder: string, root: string): void {
  const target = words.at(-1)!
  const to = target.startsWith('/') ? join(root, target) : join(folder, target)
  for (const word of words.slice(0, -1)) {
    if (word === '.')
      for (const name of contextNames()) cpSync(join(ROOT, name), join(to, name), { recursive: true })
    // The image has a Node of its own, this machine another.
    else if (word === '/usr/local/bin/node') {
      mkdirSync(join(to, '..'), { recursive: true })
      symlinkSync(process.execPath, to)
    } else if (from === undefined && !contextNames().includes(word))
      throw new Error(`${word} is not in the context`)
    else {
      const source = join(from ?? ROOT, word)
      if (!existsSync(source)) throw new Error(`COPY: ${word} is not there`)
      const place = target.endsWith('/') ? join(to, basename(word)) : to
      if (from === undefined) cpSync(source, place, { recursive: true })
      else link(source, place)
    }
  }
}
