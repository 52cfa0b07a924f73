import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { S3Store } from '../../src/store/s3.ts'
import { ForeignS3 } from '../helpers/s3rver.ts'
import { storeConformance } from './conformance.ts'

let server: ForeignS3
let prefixes = 0
beforeAll(async () => {
  server = await new ForeignS3().start()
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

const fresh = async (singleWriter?: boolean) =>
  new S3Store(server.location(`place-${++prefixes}/events`), { singleWriter })

// What is expected of a service that ignores conditions: without the user's word it is not relied on.
storeConformance('s3rver', () => fresh(), 'refused')
storeConformance('s3rver with one writer', () => fresh(true), 'checked')

test('the option that helps is named where the command has it', async () => {
  const put = (singleWriter?: boolean) =>
    fresh(singleWriter).then((store) => store.put('a', Buffer.from('x'), 'absent'))
  await expect(put(false)).rejects.toMatchObject({ hint: expect.stringContaining('--single-writer') })
  await expect(put()).rejects.toMatchObject({ hint: expect.not.stringContaining('--single-writer') })
})
