import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { startProgram } from './cli-process.ts'
import { freePort } from './free-port.ts'
import { patience } from './patience.ts'

/** A job, or a task of an array, that is in the queue. */
export interface QueuedJob {
  readonly id: string
  readonly name: string
  readonly state: string
  /** Why it waits. */
  readonly reason: string
  readonly restarts: string
}

/** A cluster of one node, of the machine's packages slurm-wlm and munge, with ports and sockets of its own. */
export interface SlurmCluster {
  /** What a shell needs to talk to it. */
  readonly env: Readonly<Record<string, string>>
  /** Runs one of its programs; what it prints. */
  run(program: string, ...words: string[]): Promise<string>
  queue(): Promise<QueuedJob[]>
  close(): Promise<void>
}

const START_MS = 30_000
const LOOK_MS = 100

export interface ClusterOptions {
  readonly cpus: number
  readonly maxArraySize: number
}

export async function startSlurm(options: ClusterOptions): Promise<SlurmCluster> {
  // Short: a socket's path may have about a hundred bytes.
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-slurm-'))
  const munge = join(folder, 'munge')
  mkdirSync(munge, { mode: 0o700 })
  for (const name of ['state', 'spool']) mkdirSync(join(folder, name))
  writeFileSync(join(munge, 'key'), randomBytes(128), { mode: 0o600 })
  const conf = join(folder, 'slurm.conf')
  writeFileSync(conf, await configOf(folder, options))
  const env = { SLURM_CONF: conf }
  const daemons: Daemon[] = []
  const run = async (program: string, ...words: string[]) => {
    const { code, stdout, stderr } = await startProgram(program, words, { env }).ended
    if (code !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`)
    return stdout
  }
  const queue = async () => {
    const lines = await run(
      'squeue',
      '-h',
      '-r',
      '-t',
      'all',
      '-O',
      'JobArrayID:|,Name:|,State:|,Reason:|,RestartCnt:',
    )
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [id = '', name = '', state = '', reason = '', restarts = ''] = line
          .split('|')
          .map((word) => word.trim())
        return { id, name, state, reason, restarts }
      })
  }
  const close = async () => {
    if (daemons.length === 3) await cancelAll(run, queue).catch(() => undefined)
    for (const daemon of daemons.reverse()) await daemon.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const begin = (name: string, words: readonly string[], isReady: () => Promise<boolean>) => {
    const daemon = new Daemon(name, words, env)
    daemons.push(daemon)
    return daemon.until(isReady)
  }
  try {
    const places = ['key', 'socket', 'pid', 'log', 'seed'].map((what) => {
      const flag = { key: 'key-file', pid: 'pid-file', log: 'log-file', seed: 'seed-file' }[what] ?? what
      return `--${flag}=${join(munge, what)}`
    })
    await begin('munged', ['--foreground', '--force', '--num-threads=2', ...places], () =>
      answers(run('munge', '--no-input', '--socket', join(munge, 'socket'))),
    )
    await begin('slurmctld', ['-D', '-c', '-f', conf], () => answers(run('scontrol', 'show', 'config')))
    await begin('slurmd', ['-D', '-f', conf], () =>
      run('sinfo', '-h', '-o', '%T').then(
        (state) => state.trim() === 'idle',
        () => false,
      ),
    )
  } catch (error) {
    await close()
    throw error
  }
  return { env, run, queue, close }
}

/** Ends what is left of a test that failed: the daemons would leave running tasks alone. */
async function cancelAll(run: SlurmCluster['run'], queue: SlurmCluster['queue']): Promise<void> {
  const areOpen = async () => (await queue()).some(isOpen)
  if (!(await areOpen())) return
  await run('scancel', '--full', `--user=${userInfo().username}`)
  for (const until = performance.now() + patience(START_MS); performance.now() < until && (await areOpen()); )
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
}

/** True for a job that has not ended. */
export function isOpen({ state }: QueuedJob): boolean {
  return /PENDING|RUNNING|COMPLETING|CONFIGURING|REQUEUE/.test(state)
}

/** A process that runs until it is stopped; what it prints is kept for an error's text. */
class Daemon {
  readonly #name: string
  readonly #child: ChildProcess
  readonly #exit: Promise<unknown>
  #printed = ''

  constructor(name: string, words: readonly string[], env: Readonly<Record<string, string>>) {
    this.#name = name
    // Debian keeps daemons in sbin, which is not in every user's path.
    const PATH = `${process.env.PATH}:/usr/sbin`
    this.#child = spawn(name, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, ...env } })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#printed = (this.#printed + chunk.toString()).slice(-4000)
      })
    }
    this.#exit = once(this.#child, 'exit').catch((error: Error) => {
      this.#printed += error.message
    })
  }

  async until(isReady: () => Promise<boolean>): Promise<void> {
    let gone = false
    this.#exit.then(() => {
      gone = true
    })
    for (const until = performance.now() + patience(START_MS); !(await isReady()); ) {
      if (gone || performance.now() > until) throw new Error(`${this.#name}: ${this.#printed}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined)
      return
    this.#child.kill('SIGTERM')
    const late = setTimeout(() => this.#child.kill('SIGKILL'), patience(10_000))
    await this.#exit
    clearTimeout(late)
  }
}

function answers(asked: Promise<unknown>): Promise<boolean> {
  return asked.then(
    () => true,
    () => false,
  )
}

async function configOf(folder: string, { cpus, maxArraySize }: ClusterOptions): Promise<string> {
  const host = hostname().split('.')[0]
  const user = userInfo().username
  return `ClusterName=posthaul
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${await freePort()}
SlurmdPort=${await freePort()}
SlurmUser=${user}
SlurmdUser=${user}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket=${folder}/munge/socket
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
# What has ended stays in the queue's list, so that the test can read how.
MinJobAge=1000000
# Jobs that can begin are looked for each second: it would be once a minute.
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
MaxArraySize=${maxArraySize}
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
MailProg=/bin/true
# A slow machine is not a dead node.
SlurmdTimeout=0
MessageTimeout=100
NodeName=${host} NodeAddr=127.0.0.1 CPUs=${cpus} RealMemory=1000000 TmpDisk=1000000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`
}

/** The variables that a process of this machine was started with. */
export function environmentOf(pid: number): Record<string, string> {
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  return Object.fromEntries(pairs.map((pair) => [pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)]))
}
