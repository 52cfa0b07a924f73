import { onTestFinished } from 'vitest'

/** Starts a server, which ends with the test. */
export async function started<T extends { start(): Promise<T>; close(): unknown }>(server: T): Promise<T> {
  onTestFinished(async () => void (await server.close()))
  return server.start()
}
