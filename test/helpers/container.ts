import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { CliProcess, Ended } from './cli-process.ts'
import { testFolder } from './folder.ts'

/*
 * A container as a strict cluster runs it, made by bubblewrap: posthaul is process 1 of its own process ids, has a host
 * name of its own, a root that nobody can write to, a small /tmp, a user id that no list of users knows, no rights of
 * root, no HOME and no terminal. Its network is this machine's.
 */
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const USER = '10001'
/** The group that Kubernetes gives the files of a secret to: `fsGroup`. */
const GROUP = 20_002
const MIB = 1024 * 1024
const SYSTEM = ['/bin', '/lib', '/lib64', '/usr']

interface ContainerOptions {
  readonly hostname: string
  /** The folder that is /app; this checkout when there is none. */
  readonly app?: string
  readonly env?: Readonly<Record<string, string>>
  /** The files of /keys, by name. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Room in /tmp. */
  readonly tmpMib?: number
}

const isRoot = process.getuid?.() === 0

/** Root takes its rights away by setpriv, and leaves the owners of files as they are. Others need a user namespace. */
const IDS = isRoot ? [] : ['--unshare-user', '--uid', USER, '--gid', USER]
const WITHOUT_RIGHTS = isRoot
  ? [
      ...['setpriv', '--reuid', USER, '--regid', USER, '--groups', String(GROUP)],
      ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'],
    ]
  : []

function readOnly(path: string, at = path): string[] {
  return ['--ro-bind', path, at]
}

function bubblewrap({ hostname, app = ROOT, env = {}, secrets, tmpMib = 64 }: ContainerOptions): string[] {
  const node = dirname(dirname(realpathSync(process.execPath)))
  return [
    ...IDS,
    ...[
      ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--hostname', hostname, '--as-pid-1'],
      '--clearenv',
    ],
    ...SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]),
    ...(node.startsWith('/usr') ? [] : readOnly(node)),
    ...['--perms', '755', '--dir', '/app'],
    ...['bin', 'dist', 'node_modules', 'package.json'].flatMap((name) =>
      readOnly(join(app, name), `/app/${name}`),
    ),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['--perms', '1777', '--size', String(tmpMib * MIB), '--tmpfs', '/tmp'],
    ...(secrets ? readOnly(mountedSecrets(secrets), '/keys') : []),
    ...['--remount-ro', '/', '--chdir', '/'],
    ...Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...env }).flatMap((pair) => [
      '--setenv',
      ...pair,
    ]),
    ...WITHOUT_RIGHTS,
  ]
}

/**
 * The files of a secret as the kubelet mounts them with `defaultMode: 0400` and `fsGroup`: links to links to files of root,
 * which the group can read.
 */
function mountedSecrets(secrets: Readonly<Record<string, string>>): string {
  const folder = testFolder()
  chmodSync(folder, 0o755)
  const version = join(folder, '..2024_01_01_00_00_00.123456789')
  mkdirSync(version)
  chmodSync(version, 0o755)
  symlinkSync('..2024_01_01_00_00_00.123456789', join(folder, '..data'))
  for (const [name, text] of Object.entries(secrets)) {
    writeFileSync(join(version, name), text)
    symlinkSync(`..data/${name}`, join(folder, name))
    if (isRoot) execFileSync('chown', [`0:${GROUP}`, join(version, name)])
    chmodSync(join(version, name), isRoot ? 0o440 : 0o400)
  }
  return folder
}

/** Throws, with what bubblewrap said, where this machine makes no containers. */
export function assertContainers(): void {
  try {
    const ids = execFileSync('bwrap', [...bubblewrap({ hostname: 'pod-0' }), 'id', '-u'], { stdio: 'pipe' })
    if (ids.toString().trim() !== USER) throw new Error(`the user is ${ids}`)
  } catch (cause) {
    const said = String((cause as { stderr?: Buffer }).stderr ?? '').trim() || String(cause)
    throw new Error(
      `bubblewrap can't make a container here: ${said}
.ci/run installs it. Run the tests as root, or allow user namespaces to others:
  sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000
  sysctl kernel.apparmor_restrict_unprivileged_userns=0`,
      { cause },
    )
  }
}

/** Starts the built command line in a container of its own, which is gone with the test. */
export function startInContainer(argv: readonly string[], options: ContainerOptions): CliProcess {
  const words = [...bubblewrap(options), realpathSync(process.execPath), '/app/bin/posthaul.js', ...argv]
  const child = spawn('bwrap', ['--info-fd', '3', ...words], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  const out = { stdout: '', stderr: '' }
  child.stdout!.on('data', (chunk: Buffer) => {
    out.stdout += chunk.toString()
  })
  child.stderr!.on('data', (chunk: Buffer) => {
    out.stderr += chunk.toString()
  })
  let pid: number | undefined
  let info = ''
  const told = child.stdio[3] as Readable
  told.on('data', (chunk: Buffer) => {
    info += chunk.toString()
    pid = Number(/"child-pid": (\d+)/.exec(info)?.[1]) || undefined
  })
  let over = false
  const ended = once(child, 'close').then(([code, signal]) => {
    over = true
    return { code, signal, ...out } as Ended
  })
  // A signal to bubblewrap itself would not reach the process in the container.
  const kill = (signal: NodeJS.Signals) => {
    if (pid === undefined || over) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      // It has ended, and bubblewrap has not said so yet.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  onTestFinished(async () => {
    kill('SIGKILL')
    await ended
  })
  return { ended, printed: () => out.stdout + out.stderr, kill }
}
