import type { Stats } from 'node:fs'
import type { Readable } from 'node:stream'
import { PosthaulError } from '../errors.ts'
import { Secret, SHORTEST_SECRET } from '../http/secret.ts'
import { fileError } from '../store/file-error.ts'
import { readWhole } from '../store/read-file.ts'
import { shellWord } from '../text/shell-word.ts'
import { MIB } from '../text/units.ts'
import type { Env } from './row.ts'

const MAX_BYTES = 4096

/** Where a secret is read from. There is no option for its text, because arguments show in every process list. */
interface SecretSpec {
  /** The variable that holds it; `<variable>_FILE` names a file that does. */
  readonly variable: string
  /** A file that holds it, from the config file: used where neither variable is set. */
  readonly file?: KeyFile | undefined
  /** True if it is read from standard input. */
  readonly fromStdin?: boolean
}

/** A file's path, and what named it. */
interface KeyFile {
  readonly value: string
  readonly from: string
}

/** Reads a secret from standard input, the environment or a private file, strongest first. */
export async function readSecret(
  { variable, file: configured, fromStdin }: SecretSpec,
  env: Env,
  stdin: Readable & { isTTY?: boolean },
): Promise<Secret | undefined> {
  if (fromStdin) return new Secret(await readStdin(stdin), 'standard input')
  const direct = env[variable]?.trim()
  if (direct) return new Secret(oneLine(direct, variable), variable)
  const path = env[`${variable}_FILE`]
  const file = path ? { value: path, from: `${variable}_FILE` } : configured
  return file && new Secret(oneLine(await readPrivateFile(file), file.value), `${file.value} (${file.from})`)
}

/** The text of a file that only its owner can read, such as a key. Code `config` for one that others can read. */
async function readPrivateFile({ value: path, from }: KeyFile): Promise<string> {
  try {
    const assert = (stats: Stats) => {
      const user = process.getuid?.()
      // Windows has no such modes.
      if (user === undefined || isPrivate(stats, user)) return
      throw new PosthaulError(`${path} (${from}) holds a key and can be read by other users`, {
        code: 'config',
        hint:
          stats.uid === user
            ? `chmod 600 ${shellWord(path)}`
            : 'its owner can mend that; a secret of Kubernetes needs defaultMode: 0400',
      })
    }
    const bytes = await readWhole(path, { mostBytes: MIB, pipe: true, assert })
    return bytes.toString('utf8').trim()
  } catch (cause) {
    throw fileError(cause, 'read', `${path} (${from})`)
  }
}

/**
 * Whether a file is a user's own secret. Root can give one to a user by a group: so do Kubernetes with fsGroup (0440) and
 * systemd's LoadCredential.
 */
export function isPrivate({ mode, uid }: Pick<Stats, 'mode' | 'uid'>, user: number): boolean {
  const isGiven = uid === 0 && user !== 0
  return (mode & (isGiven ? 0o037 : 0o077)) === 0
}

async function readStdin(stdin: Readable & { isTTY?: boolean }): Promise<string> {
  if (stdin.isTTY) {
    throw new PosthaulError('the key should come from standard input, but that is a terminal', {
      code: 'usage',
      hint: 'pipe it in, for example from your password store',
    })
  }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    length += bytes.length
    if (length > MAX_BYTES) break
  }
  return oneLine(Buffer.concat(chunks).toString('utf8').trim(), 'standard input')
}

// A text with a line break or a blank is no key but a whole file or a pasted sentence. A header could not carry it.
function oneLine(value: string, from: string): string {
  if (value.length > 0 && value.length < SHORTEST_SECRET) {
    throw new PosthaulError(`${from} holds fewer than ${SHORTEST_SECRET} characters, which is no key`, {
      code: 'config',
      hint: 'copy it whole: it could not be kept out of logs, where any word may have these characters',
    })
  }
  if (value.length > 0 && value.length <= MAX_BYTES && /^[\x21-\x7e]+$/.test(value)) return value
  throw new PosthaulError(`${from} does not hold a key: expected one line of printable ASCII, nothing else`, {
    code: 'config',
  })
}
