import { afterAll, beforeAll, vi } from 'vitest'
import { type S3Options, S3Server } from './s3-server.ts'

/** A bucket for the tests of a file, with what a client needs in the environment. */
export function testBucket(options?: S3Options): S3Server {
  const server = new S3Server(options)
  beforeAll(async () => {
    await server.start()
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await server.close()
  })
  return server
}
