import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { PosthaulError } from '../../errors.ts'

const IDENTITY_FILE = 'sandbox.json'
/** Grows whenever the tables of the store change. */
const FORMAT = 3

const Identity = z.strictObject({
  version: z.literal(FORMAT),
  project_key: z.string(),
  personal_key: z.string(),
})

/** The keys of a sandbox. They are kept in its folder, so that they stay the same after a restart. */
interface Identity {
  readonly projectKey: string
  readonly personalKey: string
}

/** The folder a sandbox keeps its data in. */
export interface DataFolder {
  readonly path: string
  /** The keys of an earlier run; undefined in a new folder. */
  readonly identity: Identity | undefined
  remember(identity: Identity): void
  /** Lets another sandbox open the folder; removes it if it is temporary. */
  release(): void
}

// The store's file lock keeps other processes out, but not a second sandbox of this one.
const openHere = new Set<string>()

/** Opens or makes `path`, or a temporary folder when there is none. PosthaulError when it isn't a sandbox's. */
export function openFolder(path: string | undefined): DataFolder {
  const folder = makeFolder(path)
  if (openHere.has(folder)) throw inUse(folder)
  const identity = readIdentity(folder)
  openHere.add(folder)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // A process that ends without close() must not leave its temporary folder behind.
  if (path === undefined) process.once('exit', remove)
  return {
    path: folder,
    identity,
    remember: ({ projectKey, personalKey }) => {
      const identity = { version: FORMAT, project_key: projectKey, personal_key: personalKey }
      writeFileSync(join(folder, IDENTITY_FILE), `${JSON.stringify(identity)}\n`, { mode: 0o600 })
    },
    release: () => {
      openHere.delete(folder)
      if (path !== undefined) return
      process.off('exit', remove)
      remove()
    },
  }
}

function makeFolder(path: string | undefined): string {
  try {
    // Not `recursive`: below /proc node tries for ever. The command has made the folders above it.
    if (path !== undefined && !existsSync(path)) mkdirSync(path, { mode: 0o700 })
    return realpathSync(path ?? mkdtempSync(join(tmpdir(), 'posthaul-sandbox-')))
  } catch (cause) {
    throw unusable(cause)
  }
}

function unusable(cause: unknown): PosthaulError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new PosthaulError(`the sandbox can't use its data folder: ${reason}`, {
    code: 'config',
    hint: 'give a folder that can be written to with --data',
    cause,
  })
}

/** The error of a folder that another sandbox works in. */
export function inUse(folder: string, cause?: unknown): PosthaulError {
  return new PosthaulError(`another sandbox has ${folder} open`, {
    code: 'locked',
    hint: 'stop it, or give this one another folder with --data',
    cause,
  })
}

function readIdentity(folder: string): Identity | undefined {
  let text: string
  try {
    text = readFileSync(join(folder, IDENTITY_FILE), 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unusable(cause)
  }
  try {
    const identity = Identity.parse(JSON.parse(text))
    return { projectKey: identity.project_key, personalKey: identity.personal_key }
  } catch (cause) {
    throw new PosthaulError(`${join(folder, IDENTITY_FILE)} was not written by this version of the sandbox`, {
      code: 'config',
      hint: 'give another folder with --data, or remove this one',
      cause,
    })
  }
}
