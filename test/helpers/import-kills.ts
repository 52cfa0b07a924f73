import { type Ended, startCli } from './cli-process.ts'

export interface KillRun {
  /** The command line, the same every time. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The working folder of the next run; this process's own without it. */
  readonly folder?: () => string
  readonly kills: number
  /** Requests that the service has seen. */
  readonly requests: () => number
  readonly random: () => number
}

const LOOK_MS = 3
// An import that has not finished after so many runs makes no progress: the test fails.
const MOST_RUNS = 400

/**
 * Runs a command line and kills it many times: mostly a moment after its nth request, sometimes at any time after its
 * start. The last run is not killed. Resolves to that run. How far a run comes before its kill is the machine's affair: an
 * import that is done before its last kills is done all the same.
 */
export async function importUnderKills({
  argv,
  env,
  folder,
  kills,
  requests,
  random,
}: KillRun): Promise<Ended> {
  let killed = 0
  for (let run = 0; run < MOST_RUNS; run++) {
    const cli = startCli(argv, env, folder?.())
    const deadly = killed < kills
    let looking: NodeJS.Timeout | undefined
    let timer: NodeJS.Timeout | undefined
    const killAfter = (ms: number) => {
      timer = setTimeout(() => cli.kill('SIGKILL'), ms)
    }
    if (deadly && random() < 0.2) killAfter(random() * 600)
    if (deadly) {
      const target = requests() + 1 + Math.floor(random() * 8)
      const moment = random() * 10
      looking = setInterval(() => {
        if (requests() < target) return
        clearInterval(looking)
        clearTimeout(timer)
        killAfter(moment)
      }, LOOK_MS)
    }
    const ended = await cli.ended
    clearInterval(looking)
    clearTimeout(timer)
    if (ended.signal !== 'SIGKILL') {
      if (killed === 0) throw new Error(`ended before the first kill, with ${ended.code}: ${ended.stderr}`)
      if (killed < kills) console.log(`done after ${killed} of ${kills} kills`)
      return ended
    }
    killed++
  }
  throw new Error(`not done after ${MOST_RUNS} runs`)
}
