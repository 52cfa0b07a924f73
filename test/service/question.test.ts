import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { serviceQuestion } from '../../src/service/question.ts'
import { settingsAt } from '../helpers/api.ts'
import { oddServer } from '../helpers/odd-server.ts'

test('a question ends with its time, whatever is collected while it waits to be asked again', async () => {
  setFlagsFromString('--expose-gc')
  const collect = setInterval(runInNewContext('gc') as () => void, 10)
  onTestFinished(() => clearInterval(collect))
  const server = await oddServer(() => ({ status: 503, body: 'busy' }))
  onTestFinished(() => server.close())
  const patience = { interrupted: new AbortController().signal, timeoutMs: 500 }
  const asked = serviceQuestion(settingsAt(server.url), patience, (api) =>
    api.get('/x', { what: 'x', scope: 'y' }),
  )
  // Without its time it would say 503, after 8 tries.
  await expect(asked).rejects.toThrow(/does not answer/)
})
