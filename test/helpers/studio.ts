import { vi } from 'vitest'
import { startCli } from './cli-process.ts'
import { patience } from './patience.ts'

/** Starts the studio as a process; resolves to where its page is, and what ends it by a signal. */
export async function startStudio(...argv: string[]) {
  const studio = startCli(['studio', ...argv])
  const url = await vi.waitFor(() => /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(studio.printed())![0], {
    timeout: patience(30_000),
  })
  const stop = async () => {
    studio.kill('SIGTERM')
    return studio.ended
  }
  return { url, stop }
}
