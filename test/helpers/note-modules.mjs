// Given to node with --import: each module that the program then loads is noted in the file NOTED_MODULES, a URL a line.
import { appendFileSync } from 'node:fs'
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  appendFileSync(process.env.NOTED_MODULES, `${found.url}\n`)
  return found
}

// The hooks above run in a thread of their own, which loads this file too.
if (isMainThread) register(import.meta.url)
