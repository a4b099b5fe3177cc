/** `plinth plan`: what the present YAML would change in the database, for clients and in access; changes nothing. */

import { accessSentences } from '../access/sentence.ts'
import type { Boot } from '../boot/boot.ts'
import { label } from '../definition/sentence.ts'
import { versionSentence } from '../migration/own/facts.ts'
import { renderPlan } from '../migration/plan-text.ts'
import { type Differences, databasePlan, differencesOf, type Outside } from '../proposal/differences.ts'
import { differencesAsJson } from '../proposal/differences-json.ts'
import { keptRoleSentences } from '../run/kept-roles.ts'
import { violationWords } from '../run/rule-violations.ts'
import { keepLock } from './accept.ts'
import { showDiagnostics, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { changesAsText } from './diff.ts'

/** The exit code of `--exit-code` when there is something to do; 2 is a wrong command line. */
const CHANGES: ExitCode = 3

export function run(invocation: Invocation): Promise<ExitCode> {
  const { options, say, settings } = invocation
  return withDatabase(invocation, async (database, application) => {
    const now = new Date()
    const planned = await databasePlan(application, database, now)
    showDiagnostics(planned, invocation)
    await keepLock(application, invocation)
    const differences = await differencesOf(application, database, { now, plan: planned.value, settings })
    say(
      options.json === true
        ? JSON.stringify(differencesAsJson(differences), null, 2)
        : differencesAsText(differences, options.all === true),
    )
    if (planned.diagnostics.length > 0) return 1
    return options['exit-code'] === true && isAnything(differences) ? CHANGES : 0
  })
}

function isAnything({ moved, plan, outside }: Differences): boolean {
  return (
    plan.steps.length + moved.byProviders.length + moved.byOptions.length > 0 ||
    (outside !== undefined &&
      (outside.api.length + outside.access.length > 0 || outside.roles.some(({ isNew }) => isNew)))
  )
}

/** The database first, then broken rules, then clients and people. */
function differencesAsText(
  { plan, violations, outside, moved, replaced, program, written }: Differences,
  all: boolean,
): string {
  const broken = violations.map(violationWords)
  return [
    ...[versionSentence(written, program) ?? []].flat(),
    renderPlan(plan, all).trimEnd(),
    ...broken,
    ...outsideAsText(outside, plan.steps.length > 0, all),
    ...listed('By providers, judged by what they said last:', moved.byProviders),
    ...listed('By options of plugins:', moved.byOptions),
    ...replacedAsText(replaced),
  ].join('\n')
}

function listed(title: string, sentences: readonly string[]): readonly string[] {
  return sentences.length === 0 ? [] : ['', title, ...sentences.map(indented)]
}

/** What the application says in place of the one below. */
function replacedAsText(replaced: Boot['replaced']): readonly string[] {
  const lines = replaced.flatMap(({ path, below, own, isLeftOut, isMerged }) =>
    isLeftOut || isMerged || below === undefined ? [] : [`  ${path}: ${label(below)} → ${label(own)}`],
  )
  if (lines.length === 0) return []
  return ['', 'In place of what the application below says:', ...lines]
}

function outsideAsText(outside: Outside | undefined, hasSteps: boolean, all: boolean): readonly string[] {
  if (outside === undefined && !hasSteps) return []
  if (outside === undefined)
    return ['', 'Nothing was served from this database yet that clients and access could be compared with.']
  const { since, api, access, unknownCause } = outside
  const than = `than what has been served since ${since} UTC`
  const clients =
    api.length === 0
      ? []
      : ['', `For clients, other ${than}:`, changesAsText(api, all), ...(unknownCause ? [UNKNOWN] : [])]
  const people = access.length === 0 ? [] : ['', `In access, other ${than}:`, ...accessSentences(access).map(indented)]
  const kept = keptRoleSentences(outside.roles).map(indented)
  return [
    ...clients,
    ...people,
    ...(kept.length === 0 ? [] : ['', 'In roles, which seeds write once and never change:', ...kept]),
  ]
}

const UNKNOWN = 'Which of them the program makes and which the files is not known.'

function indented(line: string): string {
  return `  ${line}`
}
