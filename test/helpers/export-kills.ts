import { expect } from 'vitest'
import { startCli } from './cli-process.ts'
import { runHosted } from './command-host.ts'
import { exits } from './exits.ts'

// An export that has not finished after so many runs never will: the test fails.
const MOST_RUNS = 100

export interface KillRun {
  /** The command line, without --refetch. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Says when a request comes. */
  readonly fake: { onRequest: (request: string) => void }
  readonly random: () => number
  readonly kills: number
}

/**
 * Kills an export many times: some time after a run's start, or a moment after its nth request. If a run finishes before
 * its kill, the next one fetches everything again. The last run is not killed.
 */
export async function exportUnderKills({ argv, env, fake, random, kills: wanted }: KillRun): Promise<void> {
  let refetch = false
  let kills = 0
  for (let run = 0; kills < wanted && run < MOST_RUNS; run++) {
    const cli = startCli(refetch ? [...argv, '--refetch'] : argv, env)
    const kill = () => cli.kill('SIGKILL')
    let timer: NodeJS.Timeout | undefined
    const moment = random() * 40
    if (random() < 0.3) timer = setTimeout(kill, 150 + random() * 500)
    else {
      let left = 1 + Math.floor(random() * 4)
      fake.onRequest = () => {
        if (--left === 0) timer = setTimeout(kill, moment)
      }
    }
    const { code, signal, stderr } = await cli.ended
    clearTimeout(timer)
    fake.onRequest = () => {}
    if (signal === 'SIGKILL') kills++
    else {
      expect(code, stderr).toBe(0)
      refetch = true
    }
  }
  expect(kills).toBe(wanted)
  await exits(0, runHosted(argv, env))
}
