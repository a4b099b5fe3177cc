/** Pass: which listeners hear which writes, and so which resources the log of changes holds. */

import { type Automation, listenerName } from '../catalog/automation.ts'
import { resourcesLookedAt } from '../catalog/policy-paths.ts'
import type { ListensTo } from './extensions.ts'
import { type Details, type Draft, eachDraft, named, type Resolution, suggest, type Written } from './resolution.ts'

const ACTIONS: readonly string[] = ['create', 'update', 'delete', 'restore']

/** A table is logged as a whole: what one of its resources asks for holds for writes through every other one. */
export function logging(resolution: Resolution): void {
  const { drafts, extensions } = resolution
  const heard = new Map<string, Set<string>>()
  const hears = (listener: string, words: readonly string[]): void => {
    heard.set(listener, new Set([...(heard.get(listener) ?? []), ...words]))
  }
  for (const [listener, to] of extensions.listeners) hears(listener, saidByPlugin(resolution, listener, to))
  for (const { draft, written } of eachDraft(resolution)) {
    for (const [action, listeners] of Object.entries(written.document.value.listeners ?? {}))
      for (const [index, listener] of listeners.entries())
        if (mayListen(resolution, written, draft, [action, index], listener)) {
          hears(listener, [`${draft.owner} ${action}`])
          const span = written.document.place(['listeners', action, index])
          resolution.heardAt.set(`${listener} ${draft.owner} ${action}`, span)
        }
  }
  for (const draft of drafts.values())
    for (const automation of draft.automations.values())
      hears(listenerName(draft.name, automation.name), heardBy(draft, automation))
  for (const [listener, words] of heard) if (words.size > 0) resolution.heard.set(listener, [...words])
  const kept = new Set([...drafts.values()].filter(({ keepsLog }) => keepsLog).map(({ owner }) => owner))
  const heardOf = [...resolution.heard.values()].flat().map((word) => word.split(' ')[0])
  const logged = new Set([...kept, ...heardOf, ...followed(resolution)])
  for (const draft of drafts.values()) {
    draft.logged = logged.has(draft.owner)
    draft.keepsLog = kept.has(draft.owner)
  }
}

/** The tables that streams follow: their own, and those of other records that decide who sees theirs. */
function followed({ drafts }: Resolution): readonly string[] {
  const streamed = [...drafts.values()].filter((draft) => draft.streamed)
  return streamed.flatMap((draft) => [
    draft.owner,
    ...[...resourcesLookedAt(draft)].flatMap((name) => drafts.get(name)?.owner ?? []),
  ])
}

/** The writes that an automation hears of; those of the whole table, where its resource is a part of one. */
function heardBy({ owner }: Draft, { trigger }: Automation): readonly string[] {
  if (trigger.kind !== 'write') return []
  return [...new Set([...trigger.on].map((event) => `${owner} ${event === 'import' ? 'create' : event}`))]
}

/** Whether a listener that a resource file names can hear of its writes. */
function mayListen(
  { extensions, report }: Resolution,
  { document }: Written,
  draft: Draft,
  at: readonly [string, number],
  listener: string,
): boolean {
  const span = document.place(['listeners', ...at])
  if (!extensions.listeners.has(listener)) {
    report(
      'unknown_listener',
      `No plugin gives a listener "${listener}"`,
      span,
      named(suggest(listener, extensions.listeners.keys())),
    )
    return false
  }
  if (draft.owner === draft.name) return true
  report(
    'unknown_listener',
    `"${draft.name}" uses the table of "${draft.owner}", whose writes are heard as a whole`,
    span,
    {
      hint: `name the listener in the file of "${draft.owner}"`,
    },
  )
  return false
}

/** What a listener hears of by its plugin's own word. */
function saidByPlugin(resolution: Resolution, listener: string, to: ListensTo): readonly string[] {
  return Object.entries(to).flatMap(([name, actions]) => {
    const details = mistakeOf(resolution, name, actions)
    if (details !== undefined) {
      const { message, ...more } = details
      // A listener is written in code, so a complaint about it has no place in a YAML file.
      resolution.diagnostics.push({
        code: 'wrong_plugin',
        message: `The listener "${listener}" listens to ${message}`,
        ...more,
      })
    }
    return resolution.drafts.has(name) ? actions.map((action) => `${name} ${action}`) : []
  })
}

function mistakeOf(
  { drafts, unusable }: Resolution,
  name: string,
  actions: readonly string[],
): (Details & { readonly message: string }) | undefined {
  const wrong = actions.find((action) => !ACTIONS.includes(action))
  if (wrong !== undefined) return { message: `"${wrong}" of "${name}"`, ...suggest(wrong, ACTIONS) }
  const owner = drafts.get(name)?.owner
  if (owner === undefined)
    return unusable.has(name)
      ? undefined
      : { message: `an unknown resource "${name}"`, ...suggest(name, drafts.keys()) }
  if (owner === name) return undefined
  const hint = `listen to "${owner}"; it hears of every write of that table`
  return { message: `"${name}", which uses the table of "${owner}"`, hint }
}
