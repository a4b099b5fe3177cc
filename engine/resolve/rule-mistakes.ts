/** Pass: rules, moves and what follows that no write could ever set off, or that every write keeps. */

import type { Field } from '../catalog/catalog.ts'
import type {
  AutomationDefinition,
  Document,
  FollowDefinition,
  MovesDefinition,
  RuleDefinition,
} from '../definition/definition.ts'
import { isNames } from './automation-trigger.ts'
import { entries, inside, type Place } from './document-part.ts'
import { fieldOf } from './link-path.ts'
import { alwaysHolds, conjuncts } from './never.ts'
import { type Draft, eachDraft, type Resolution } from './resolution.ts'

/** What `on` and `changed` stand in: a rule, an entry of `follows`, an automation. */
interface Awaiting {
  readonly on?: readonly string[]
  readonly changed?: AutomationDefinition['changed'] & {}
}

/** Judges what every resource says of its writes, where it is written. */
export function ruleMistakes(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    const { document } = written
    const { automations, follows = [], moves, rules } = document.value
    for (const [name, rule] of entries(document, ['rules'], rules)) {
      asksForSomething(resolution, draft, name, rule.place)
      countsAgree(resolution, draft, rule)
      if (rule.value.holds !== 'always') awaitsWrites(resolution, draft, rule, ['create', 'update'])
    }
    for (const [index, value] of follows.entries()) {
      const follow = inside(document, ['follows', index], value)
      awaitsWrites(resolution, draft, follow, ['create', 'update'])
      if (value.of === undefined && value.on?.join() === 'update') changesNothingFixed(resolution, draft, follow)
    }
    for (const [, automation] of entries<Awaiting>(document, ['automations'], automations))
      awaitsWrites(resolution, draft, automation, [])
    for (const [name, moved] of entries(document, ['moves'], moves)) movesAreMade(resolution, draft, name, moved)
    if (document.value.show_moves === true && !draft.actions.has('get'))
      resolution.report('wrong_rule', 'Moves are shown with a single record', document.place(['show_moves'], 'key'), {
        hint: 'add get to "actions", or take "show_moves" away',
      })
  }
}

function asksForSomething(resolution: Resolution, draft: Draft, name: string, place: Place): void {
  const rule = draft.rules.find((one) => one.name === name)
  if (rule === undefined) return
  if (alwaysHolds(rule.must))
    resolution.report('wrong_rule', `The rule "${name}" asks for nothing`, place(['must']), {
      hint: 'write a condition that the record must fulfil',
    })
  for (const { operand, operator, path } of conjuncts(rule.must)) {
    if (path.relations.length > 0) continue
    const { field } = path
    if (operator === 'null' && operand.kind === 'literal' && operand.value === true && field.required)
      resolution.report(
        'wrong_rule',
        `"${field.name}" is required, so no record keeps the rule "${name}"`,
        place(['must']),
        {
          hint: 'take "required" away from the field, or correct the rule',
        },
      )
    if (operand.kind !== 'record' || operand.path.relations.length > 0 || operand.path.field !== field) continue
    resolution.report('wrong_rule', `The rule "${name}" compares "${field.name}" with itself`, place(['must']), {
      hint: 'name another field, or $before for the value that is stored',
    })
  }
}

function countsAgree(resolution: Resolution, draft: Draft, { place, value }: Document<RuleDefinition>): void {
  const { at_least: least, at_most: most, per } = value
  if (least !== undefined && most !== undefined && least > most)
    resolution.report(
      'wrong_rule',
      `There cannot be ${least} records at least and ${most} at most`,
      place(['at_most']),
      {
        hint: 'write a greater "at_most", or a lower "at_least"',
      },
    )
  for (const [index, name] of [per ?? []].flat().entries()) {
    const field = fieldOf(resolution, draft, name)
    const span = place(typeof per === 'string' ? ['per'] : ['per', index])
    if (field?.unique === true)
      resolution.report('wrong_rule', `"${name}" is unique, so there is one record for each value`, span, {
        hint: 'name a field or relation that several records share',
      })
    else if (field !== undefined && name === value.only_one)
      resolution.report('wrong_rule', `"${name}" is what one record alone has, not what several share`, span, {
        hint: 'name another field or relation, or take "per" away',
      })
  }
}

/** What waits for a change waits for writes that can make one. */
function awaitsWrites(
  resolution: Resolution,
  draft: Draft,
  { place, value }: Document<Awaiting>,
  usual: readonly string[],
): void {
  const on = value.on ?? usual
  if (value.on?.join() === 'restore' && draft.restoreSets === undefined)
    resolution.report('missing_live', `Nothing restores "${draft.name}"`, place(['on', 0]), {
      hint: 'add "soft_delete: true" and "restore: true", or leave restore out',
    })
  if (value.changed === undefined) return
  if (!on.includes('update')) {
    if (usual.length > 0)
      resolution.report('wrong_rule', 'Only an update changes something', place(['changed'], 'key'), {
        hint: 'leave it out, or name update under on',
      })
    return
  }
  for (const [name, path] of namesIn(value.changed)) {
    const field = fieldOf(resolution, draft, name)
    const reason = field && (on.includes('create') ? unwritten(field) : (unwritten(field) ?? fixed(field)))
    if (reason === undefined) continue
    resolution.report('wrong_rule', `"${name}" ${reason}, so no write changes it`, place(...path), {
      hint: 'name the fields that it comes from, or leave it out',
    })
  }
}

/** The names under `changed`, each with where it stands. */
function namesIn(changed: NonNullable<Awaiting['changed']>): readonly (readonly [string, Parameters<Place>])[] {
  if (typeof changed === 'string') return [[changed, [['changed']]]]
  if (isNames(changed)) return changed.map((name, index) => [name, [['changed', index]]])
  return Object.keys(changed).map((name) => [name, [['changed', name], 'key']])
}

function changesNothingFixed(resolution: Resolution, draft: Draft, { place, value }: Document<FollowDefinition>): void {
  for (const name of Object.keys(value.set)) {
    const field = fieldOf(resolution, draft, name)
    if (field === undefined || fixed(field) === undefined) continue
    resolution.report(
      'wrong_rule',
      `"${name}" ${fixed(field)}, so nothing can follow for it from an update`,
      place(['set', name], 'key'),
      {
        hint: 'name create under on, or take "immutable" away from the field',
      },
    )
  }
}

function unwritten({ computed, count }: Field): string | undefined {
  return computed === undefined && count === undefined ? undefined : 'is computed when it is read'
}

function fixed({ immutable }: Field): string | undefined {
  return immutable ? 'is set on create and stays' : undefined
}

function movesAreMade(
  resolution: Resolution,
  draft: Draft,
  name: string,
  { place, value }: Document<MovesDefinition>,
): void {
  const field = fieldOf(resolution, draft, name)
  if (field === undefined) return
  const reason = unwritten(field) ?? fixed(field) ?? (field.readOnly ? 'is read-only' : undefined)
  if (reason !== undefined)
    resolution.report('wrong_rule', `"${name}" ${reason}, so nobody moves it`, place([], 'key'), {
      hint: 'take the moves away, or let the field be written',
    })
  const words: readonly unknown[] = Array.isArray(field.options.own.values) ? field.options.own.values : []
  for (const [index, { from, to }] of value.allow.entries()) {
    if (typeof from === 'string' && from === to && from !== 'any')
      resolution.report('wrong_rule', `Staying ${from} is no move`, place(['allow', index]), {
        hint: 'take the entry away: a record may always stay as it is',
      })
    const any = (['from', 'to'] as const).find((side) => value.allow[index]?.[side] === 'any')
    if (any !== undefined && words.includes('any'))
      resolution.report(
        'wrong_rule',
        `"any" is one of the words of "${name}", and means all of them here`,
        place(['allow', index, any]),
        {
          hint: 'write [any] for the word alone, or the words that are meant',
        },
      )
  }
}
