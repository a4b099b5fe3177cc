/** Rules that change nothing: each reports one thing that an author must not do. */

import type { Resource } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import { CONNECTIVES } from '../filter/parse-yaml.ts'
import { LIMITS } from '../limits.ts'
import { isBroken } from './link-path.ts'
import { type Draft, eachDraft, isWritten, named, type Resolution, suggest, type Written } from './resolution.ts'
import { slugsHaveSources } from './slug-sources.ts'

type Rule = (resolution: Resolution, written: Written, draft: Draft) => void

const hooksExist: Rule = (resolution, written, draft) => {
  for (const [action, names] of Object.entries(draft.hooks)) {
    for (const [index, name] of names.entries()) {
      if (resolution.extensions.hooks.has(name)) continue
      const span = written.document.place(['hooks', action, index])
      resolution.report(
        'unknown_hook',
        `No plugin gives a hook "${name}"`,
        span,
        named(suggest(name, resolution.extensions.hooks.keys())),
      )
    }
  }
}

const restoreNeedsLive: Rule = (resolution, written, draft) => {
  if (!draft.actions.has('restore') || (draft.live !== undefined && draft.restoreSets !== undefined)) return
  const { value, place } = written.document
  const at =
    value.restore === true || value.actions === undefined ? ['restore'] : ['actions', value.actions.indexOf('restore')]
  resolution.report('missing_live', 'A record that is removed for good cannot be restored', place(at), {
    hint: 'add "soft_delete: true" and "restore: true", or take restore away',
  })
}

const countsHaveRelations: Rule = (resolution, written, draft) => {
  for (const field of draft.fields.values()) {
    if (field.count === undefined) continue
    const isCount = field.type.name === 'count'
    const { kind } = draft.relations.get(field.count) ?? {}
    if (kind === 'has_many' || (kind === 'many_to_many' && !isCount)) continue
    if (kind === undefined && isBroken(resolution, draft, field.count)) continue
    const span = written.fields.get(field.name)?.place([isCount ? 'of' : 'computed']) ?? field.span
    if (kind === 'many_to_many') {
      const hint = `write it as ${field.name}: { type: integer, computed: { count: ${field.count} } }`
      const message = `A field of type count counts a has_many, and "${field.count}" is many_to_many`
      resolution.report('wrong_option', message, span, { hint })
      continue
    }
    const many = [...draft.relations.values()].flatMap((relation) =>
      relation.kind === 'has_many' || (relation.kind === 'many_to_many' && !isCount) ? [relation.name] : [],
    )
    const what = isCount ? `has_many relation "${field.count}" to count` : `relation "${field.count}" to many records`
    const [message, hint] =
      kind === 'belongs_to'
        ? [`"${field.count}" leads to one record, so there is nothing to count`, 'name a relation to many records']
        : [`"${draft.name}" has no ${what}`, `add it: relations: { ${field.count}: { has_many: … } }`]
    resolution.report('unknown_field', message, span, many.length > 0 ? suggest(field.count, many) : { hint })
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'decimal'])

/** What records come to is a value that the field can hold: a number of numbers, or a bound of values like its own. */
const totalsAreValues: Rule = (resolution, written, draft) => {
  for (const field of draft.fields.values()) {
    if (field.count === undefined) continue
    const relation = draft.relations.get(field.count)
    const document = written.fields.get(field.name)?.value
    if (document?.computed === undefined || typeof document.computed === 'string' || relation === undefined) continue
    const span = written.fields.get(field.name)?.place(['computed']) ?? field.span
    const { total } = field
    if (total === undefined) {
      if (field.type.name !== 'integer')
        resolution.report('wrong_option', `A count is an integer, and "${field.name}" is ${field.type.name}`, span)
      continue
    }
    const of = resolution.drafts.get(relation.target)?.fields.get(total.of)
    if (of === undefined || !isStored(of) || of.type.hidden === true) {
      const known = [...(resolution.drafts.get(relation.target)?.fields.values() ?? [])].filter(isStored)
      const names = known.map(({ name }) => name)
      if (total.of === '') {
        const hint = `write { ${total.by}: ${field.count}.<field> }`
        const message = `"${field.name}" does not say which field of "${relation.target}" it is the ${total.by} of`
        resolution.report('unknown_field', message, span, { expected: names, hint })
        continue
      }
      const message = `"${relation.target}" has no field "${total.of}" that could be added up or compared`
      resolution.report('unknown_field', message, span, suggest(total.of, names))
      continue
    }
    const adds = total.by === 'sum' || total.by === 'avg'
    const fits = adds
      ? NUMBERS.has(of.type.name) &&
        (field.type.name === 'decimal' ||
          (field.type.name === 'integer' && of.type.name === 'integer' && total.by === 'sum'))
      : of.type.name === field.type.name && of.type.operators.includes('lt')
    if (fits) continue
    const message = `"${field.name}" (${field.type.name}) cannot hold the ${total.by} of "${of.name}" (${of.type.name})`
    resolution.report('wrong_option', message, span)
  }
}

const namesAreFree: Rule = (resolution, _written, draft) => {
  const columns = new Map<string, string>()
  const keys = new Map<string, string>()
  for (const field of draft.fields.values()) {
    if (Buffer.byteLength(field.column) > 63)
      resolution.report('name_too_long', `The column "${field.column}" is longer than 63 bytes`, field.span)
    const other = columns.get(field.column)
    if (other !== undefined)
      resolution.report(
        'name_clash',
        `"${field.name}" and "${other}" are the same column "${field.column}"`,
        field.span,
        { hint: 'give one of them another "column"' },
      )
    if (isStored(field)) columns.set(field.column, field.name)
    keys.set(field.name, 'a field')
  }
  for (const relation of draft.relations.values()) {
    const names = relation.kind === 'many_to_many' ? [relation.name, relation.writeAs] : [relation.name]
    for (const name of names) {
      const other = keys.get(name)
      if (other !== undefined) {
        resolution.report('name_clash', `"${name}" is ${other} already`, relation.span, {
          hint: 'a field and a relation share the keys of an answer',
        })
      }
      keys.set(name, 'a relation')
    }
    if (relation.kind === 'many_to_many' && Buffer.byteLength(relation.through.table) > 63) {
      resolution.report(
        'name_too_long',
        `The joining table "${relation.through.table}" is longer than 63 bytes`,
        relation.span,
        {
          hint: 'name a shorter one with "through"',
        },
      )
    }
  }
  if (Buffer.byteLength(draft.table) > 63)
    resolution.report('name_too_long', `The table "${draft.table}" is longer than 63 bytes`, draft.span)
  if (draft.table.startsWith('plinth_'))
    resolution.report('reserved_name', 'Tables that begin with "plinth_" are the engine\'s own', draft.span, {
      hint: 'choose another name, or give it another "table"',
    })
}

/** While a column changes, another one is beside it under its name with one of these ends. */
const OF_CHANGES = /__(converting|filling)$/

const columnsAreNotOfChanges: Rule = (resolution, _written, draft) => {
  for (const { column, earlier, span } of draft.fields.values()) {
    if (earlier !== undefined || !OF_CHANGES.test(column)) continue
    resolution.report(
      'reserved_name',
      `The column "${column}" ends as the engine's own do while a column changes`,
      span,
      {
        hint: 'choose another name, or give it another "column"',
      },
    )
  }
}

/** Words such as `any` and `not` mean something in filters, so no field or relation may be called so. */
const namesAreNoConnectives: Rule = (resolution, _written, draft) => {
  for (const part of [...draft.fields.values(), ...draft.relations.values()]) {
    if (!(CONNECTIVES as readonly string[]).includes(part.name)) continue
    resolution.report('reserved_name', `"${part.name}" is a word of the filter language`, part.span, {
      hint: 'choose another name: a filter could not speak of it',
    })
  }
}

/** A resource with `of` that creates records must be able to fill what its base requires. */
const derivedResourcesCanCreate: Rule = (resolution, written, draft) => {
  const owner = resolution.drafts.get(draft.owner)
  if (owner === undefined || owner === draft || !creates(draft)) return
  for (const field of owner.fields.values()) {
    const given = draft.fields.has(field.name) || draft.scopeSets.some((set) => set.field.column === field.column)
    if (
      !field.required ||
      given ||
      field.default !== undefined ||
      field.defaultMoment !== undefined ||
      field.type.generated !== undefined
    )
      continue
    const relation = field.relation === undefined ? undefined : owner.relations.get(field.relation)
    if (relation?.kind === 'belongs_to' && relation.default !== undefined) continue
    const what = field.relation === undefined ? `field "${field.name}"` : `relation "${field.relation}"`
    resolution.report(
      'of_mismatch',
      `"${owner.name}" requires the ${what}, which "${draft.name}" neither has nor sets`,
      written.document.place(['of']),
      {
        hint: `list it, let "where" fix it, or leave "create" out of the actions`,
      },
    )
  }
}

function creates(draft: Resource): boolean {
  return draft.actions.has('create') || draft.nested.some((route) => route.actions.includes('create'))
}

const actionsHavePolicies: Rule = (resolution, written, draft) => {
  const { policies } = written.document.value
  const needed = new Map<string, Resource['policies'][keyof Resource['policies']]>()
  for (const action of [...draft.actions, ...draft.nested.flatMap((route) => route.actions)]) {
    const policy = action === 'list' || action === 'get' ? 'view' : action
    needed.set(policy, draft.policies[policy])
  }
  const missing = [...needed].filter(
    ([policy, clauses]) =>
      clauses.length === 0 &&
      policies?.[policy as 'view'] === undefined &&
      !isWritten(written.document, ['policies', policy]),
  )
  if (missing.length === 0 || (policies === undefined && isWritten(written.document, ['policies']))) return
  const words = missing.map(([policy]) => policy).join(', ')
  const places =
    policies === undefined ? written.document.place(['resource']) : written.document.place(['policies'], 'key')
  resolution.report('missing_policy', `Nobody may ${words} "${draft.name}"`, places, {
    hint: `add a policy for ${words}, an empty list if that is meant, or take the action away`,
    severity: 'warning',
  })
}

const RULES: readonly Rule[] = [
  hooksExist,
  restoreNeedsLive,
  slugsHaveSources,
  countsHaveRelations,
  totalsAreValues,
  namesAreFree,
  columnsAreNotOfChanges,
  namesAreNoConnectives,
  derivedResourcesCanCreate,
  actionsHavePolicies,
]

/** Applies the rules to every resource, then those about two of them. */
export function applyRules(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) for (const rule of RULES) rule(resolution, written, draft)
  distinctPaths(resolution)
  distinctTables(resolution)
  limitsAgree(resolution)
}

function limitsAgree(resolution: Resolution): void {
  const { perPageDefault, perPageMax } = resolution.definition.app.value.limits ?? {}
  if (perPageDefault === undefined || perPageDefault <= (perPageMax ?? LIMITS.perPageMax)) return
  const message = `A page cannot have ${perPageDefault} records by itself and ${perPageMax ?? LIMITS.perPageMax} at most`
  resolution.report('wrong_limit', message, resolution.definition.app.place(['limits', 'perPageDefault']), {
    hint: 'lower perPageDefault, or raise perPageMax',
  })
}

function distinctPaths(resolution: Resolution): void {
  const taken = new Map<string, string>()
  for (const { written, draft } of eachDraft(resolution)) {
    const routes = [
      ...(draft.actions.size === 0
        ? []
        : [{ path: draft.path, at: written.document.value.path === undefined ? ['resource'] : ['path'] }]),
      ...draft.nested.map((route) => ({
        path: `${resolution.drafts.get(route.relation.target)?.path}/{id}/${route.path}`,
        at: ['nested', route.relation.name],
      })),
    ]
    for (const { path, at } of routes) {
      const other = taken.get(path.toLowerCase())
      if (other === undefined) taken.set(path.toLowerCase(), draft.name)
      else
        resolution.report(
          'duplicate_path',
          `The path "/${path}" is the one of "${other}" already`,
          written.document.place(at),
          { hint: 'give one of them another "path"' },
        )
    }
  }
}

function distinctTables(resolution: Resolution): void {
  const taken = new Map<string, string>()
  for (const { written, draft } of eachDraft(resolution)) {
    if (draft.owner !== draft.name) continue
    const other = taken.get(draft.table)
    taken.set(draft.table, draft.name)
    if (other === undefined) continue
    resolution.report(
      'name_clash',
      `The table "${draft.table}" is the one of "${other}" already`,
      written.document.place([written.document.value.table === undefined ? 'resource' : 'table']),
      {
        hint: `write "of: ${other}" to stand on its table`,
      },
    )
  }
}
