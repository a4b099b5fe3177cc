/** The conditions of a part of a catalog, each as what an application can be without. */
import type { Access, FieldPath, Filter, WayPath } from '../catalog/catalog.ts'
import type { Changes } from '../catalog/without.ts'
import type { Operand, RecordOperand } from '../filter/filter.ts'
import { fold, type Omission, omissions } from '../filter/walk.ts'
import type { Span } from '../text/source.ts'

/** What the files say in one place, and the catalog without it. */
export interface Found {
  /** What it is, told apart from everything else at its place. */
  readonly kind: string
  readonly span: Span
  /** `view: { who: signed_in }`. */
  readonly title: string
  /** What a scenario exercises to have tried it. */
  readonly part: object
  readonly without: Changes
}

/** Where a condition is written, and by what it is tried. */
export interface Holder {
  /** What has the condition under `key`. */
  readonly of: object
  readonly key: string
  readonly span: Span
  /** `view`, `rule short`. */
  readonly title: string
  readonly part: object
  /** Whether it can be without the whole condition; else that is the same as being without `of`. */
  readonly whole: boolean
  /** What being without the whole condition means, where it is no key of `of`. */
  readonly left?: Pick<Omission<FieldPath, WayPath>, 'of' | 'instead'>
}

/** Every condition of a filter. */
export function conditionsIn(
  filter: Filter | undefined,
  { key, left, of, part, span, title, whole }: Holder,
): readonly Found[] {
  if (filter === undefined) return []
  const without = left ?? (whole ? { of, instead: { [key]: undefined } } : undefined)
  return omissions(filter, without).map((one) => {
    const words = wordsOf(one.part)
    return {
      ...{ part, kind: `${key}${one.at}`, span: writtenIn(span, one.part) },
      title: `${key} of ${title}: ${words}`,
      without: new Map([[one.of, one.instead]]),
    }
  })
}

/** Whom a part is about, without which it is about everybody. */
export function accessIn(
  access: readonly Access[],
  everybody: readonly Access[],
  holder: Omit<Holder, 'left' | 'whole'>,
): readonly Found[] {
  const { key, of, part, span, title } = holder
  if (access.length === 0 || access.some(({ kind }) => kind === 'anyone')) return []
  const whom = access.map(accessWords).join(' and ')
  return [
    { kind: 'whom', span, title: `whom of ${title}: ${whom}`, part, without: new Map([[of, { [key]: everybody }]]) },
  ]
}

/** `orders.pack`, `signed_in`. */
export function accessWords(access: Access): string {
  switch (access.kind) {
    case 'permission':
      return access.permission
    case 'role':
      return access.roles.join(', ')
    default:
      return access.kind
  }
}

/** A condition as YAML has it, `status: { ne: closed }`. */
function wordsOf(filter: Filter): string {
  return fold<FieldPath, WayPath, string>(filter, {
    compare: ({ operand, operator, path }) => {
      const value = operandWords(operand)
      return `${pathOf(path)}: ${operator === 'eq' || operator === 'in' ? value : `{ ${operator}: ${value} }`}`
    },
    related: ({ count, of, path: { many, relations } }) => {
      const asked =
        count === undefined ? `some: { ${wordsOf(of)} }` : `count: { ${count.operator}: ${String(count.value)} }`
      return `${[...relations, many].map(({ name }) => name).join('.')}: { ${asked} }`
    },
    not: (of) => `not: { ${of} }`,
    and: (of) => of.join(', '),
    or: (of) => `any: [${of.map((one) => `{ ${one} }`).join(', ')}]`,
  })
}

/** A path by the names that are written: a foreign key is its relation. */
function pathOf({ field, relations }: FieldPath): string {
  return [...relations.map(({ name }) => name), field.relation ?? field.name].join('.')
}

function operandWords(operand: Operand | RecordOperand<FieldPath>): string {
  switch (operand.kind) {
    case 'literal':
      return Array.isArray(operand.value) ? `[${operand.value.join(', ')}]` : String(operand.value)
    case 'actor':
      return operand.attribute === undefined ? '$actor' : `$actor.${operand.attribute}`
    case 'record':
    case 'before':
      return `$${operand.kind}.${pathOf(operand.path)}`
    default:
      return `$${operand.kind}`
  }
}

/** The place of a condition inside a part, found by the key that it begins with; else the part itself. */
function writtenIn(span: Span, filter: Filter): Span {
  const key = /^[\w.]+:/.exec(wordsOf(filter))?.[0]
  if (key === undefined) return span
  const { source } = span
  const inside = source.text.slice(span.start, span.end)
  const found = [...inside.matchAll(/[\w.]+:/g)].filter(([word]) => word === key)
  if (found.length !== 1) return span
  const start = span.start + found[0]!.index
  return { source, start, end: start + key.length - 1 }
}
