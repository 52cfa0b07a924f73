import { shellWord } from '../../shell-word.ts'
import { STAGES, type Stage } from '../stage.ts'
import {
  FINAL_CODES,
  type JobFile,
  type JobRequest,
  type JobStage,
  REJECTS_CODE,
  STOPPED_CODES,
  TRIES,
  wordsOf,
} from './job-request.ts'
import { commentLines } from './shell-text.ts'

/** A makefile for one big machine. No target is a file: the place of the plan knows which tasks are done. */
export function makeFile(request: JobRequest): JobFile {
  const { plan, tasks } = request
  const byParallel = STAGES.map(
    (stage) => `seq 0 ${tasks - 1} | parallel -j4 make -f posthaul.mk ALONE=1 ${stage}-{}`,
  )
  const next = [
    'make -f posthaul.mk -j4',
    '# or by GNU parallel, stage by stage:',
    ...byParallel,
    'make -f posthaul.mk ALONE=1 finish',
  ]
  const head = commentLines([`posthaul plan ${plan.slice(0, 8)}: ${tasks} tasks a stage`, '', ...next])
  const text = `${head}
SHELL := /bin/sh
POSTHAUL ?= posthaul
INDEXES := $(shell seq 0 ${tasks - 1})
.DEFAULT_GOAL := finish
.PHONY: finish ${STAGES.join(' ')}

${TRY}

${STAGES.map((stage, at) => stageRules(stage, STAGES[at - 1], request)).join('\n')}
ifndef ALONE
finish: ${STAGES.at(-1)}
endif
finish:
\t@what=finish; ${recipeOf('finish', request)}
`
  return { text, next }
}

/** Tries \`task\`, a function of the recipe's shell. 9 is what a makefile knows as an ordinary end of a line. */
const TRY = `# Tries a task until it is done. ${FINAL_CODES.join(', ')}: it would fail the same way again. ${STOPPED_CODES.join(', ')}: it was told to stop.
define TRY
try=1; \\
while :; do \\
  code=0; task || code=$$?; \\
  case $$code in 0|${[...FINAL_CODES, ...STOPPED_CODES].join('|')}) exit $$code ;; esac; \\
  [ $$try -lt ${TRIES} ] || exit $$code; \\
  echo "$$what ended with $$code: try $$try of ${TRIES}" >&2; \\
  sleep $$((1 << try)); \\
  try=$$((try + 1)); \\
done
endef`

function stageRules(stage: Stage, before: Stage | undefined, request: JobRequest): string {
  const list = stage.toUpperCase()
  const order = before === undefined ? '' : `ifndef ALONE\n$(${list}): ${before}\nendif\n`
  return `${list} := $(addprefix ${stage}-,$(INDEXES))
.PHONY: $(${list})
${stage}: $(${list})
${order}$(${list}): ${stage}-%:
\t@what=$@; ${recipeOf(stage, request)}
`
}

function recipeOf(stage: JobStage, request: JobRequest): string {
  const words = wordsOf(stage, request, request.workDir).map(shellWord)
  // A make sees its own variables in a dollar sign.
  const [fleet, ...rest] = words.map((word) => word.replaceAll('$', '$$$$'))
  if (stage !== 'finish') rest.splice(2, 0, '--index', '$*')
  const rejects = stage === 'finish' ? ` || [ $$? -eq ${REJECTS_CODE} ]` : ''
  return `task() { $(POSTHAUL) ${[fleet, ...rest].join(' ')}${rejects}; }; $(TRY)`
}
