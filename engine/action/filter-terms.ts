/** Filter parameters of a query string, one at a time: `status_id=1,2`, `created_at[gte]=…`, ranges and special filters. */
import type { Actor } from '../actor.ts'
import type { Field, FieldPath, Filter, Resource } from '../catalog/catalog.ts'
import { OPERATORS, type Operator } from '../field/field-type.ts'
import { comparand } from '../filter/to-sql.ts'
import type { Json } from '../json.ts'
import { filterable } from './scope.ts'

const TEXTUAL: readonly Operator[] = ['contains', 'starts_with', 'ends_with']

/** Collects the conditions of one request: filters over slots, the slots' values, and a key of their shape. */
export class FilterTerms {
  readonly filters: Filter[] = []
  readonly slots: Record<string, unknown> = {}
  /** Whether the best plan depends on the values, so that the statement must not be planned once for all. */
  adhoc = false
  key = ''
  count = 0
  private next = 0
  private readonly resource: Resource
  private readonly actor: Actor
  private readonly longestList: number
  private readonly refuse: (parameter: string, sentence: string) => void

  constructor(
    resource: Resource,
    actor: Actor,
    longestList: number,
    refuse: (parameter: string, sentence: string) => void,
  ) {
    this.resource = resource
    this.actor = actor
    this.longestList = longestList
    this.refuse = refuse
  }

  /** Reads one parameter; false when this resource knows none of the name. */
  read(parameter: string, text: string): boolean {
    const special = this.resource.specials.get(parameter)
    if (special !== undefined) return this.readSpecial(parameter, text, special.values)
    const range = /^(.+)_(from|to)$/.exec(parameter)
    const ranged = range === null ? undefined : this.resource.ranges.get(range[1]!)
    if (range !== null && ranged !== undefined)
      return this.readRange(parameter, text, ranged, range[2] as 'from' | 'to')
    const match = /^([^[\]]+)(?:\[(\w+)\])?$/.exec(parameter)
    const path = match === null ? undefined : this.resource.filters.get(match[1]!)
    if (match === null || path === undefined || !filterable(path, this.actor)) return false
    this.readComparison(parameter, text, path, match[2])
    return true
  }

  private readSpecial(parameter: string, text: string, values: ReadonlyMap<string, Filter>): true {
    const filter = values.get(text)
    if (filter === undefined)
      this.refuse(parameter, `The ${parameter} parameter must be one of: ${[...values.keys()].join(', ')}`)
    else this.push(filter, `${parameter}=${text}`)
    return true
  }

  private readRange(parameter: string, text: string, field: Field, end: 'from' | 'to'): true {
    const path: FieldPath = { relations: [], field }
    const day = field.type.day?.(text)
    if (field.type.day !== undefined && day === undefined)
      this.refuse(parameter, `The ${parameter} parameter must be a day, YYYY-MM-DD`)
    else if (day !== undefined) {
      this.push(end === 'from' ? this.compare(path, 'gte', day.from) : this.compare(path, 'lt', day.before), parameter)
    } else {
      const value = this.value(parameter, text, field)
      if (value !== undefined) this.push(this.compare(path, end === 'from' ? 'gte' : 'lte', value), parameter)
    }
    return true
  }

  private readComparison(parameter: string, text: string, path: FieldPath, written: string | undefined): void {
    const { type } = path.field
    if (written !== undefined && !(OPERATORS as readonly string[]).includes(written)) {
      this.refuse(parameter, `Unknown operator "${written}"; allowed here: ${type.operators.join(', ')}`)
      return
    }
    const listed =
      written === undefined &&
      text.includes(',') &&
      type.operators.includes('in') &&
      !TEXTUAL.every((word) => type.operators.includes(word))
    const operator = (written ?? (listed ? 'in' : type.operators.includes('eq') ? 'eq' : 'contains')) as Operator
    if (!type.operators.includes(operator)) {
      this.refuse(
        parameter,
        `The operator "${operator}" does not go with this field; allowed: ${type.operators.join(', ')}`,
      )
      return
    }
    const filter = this.comparison(parameter, text, path, operator)
    if (filter === undefined) return
    if (TEXTUAL.includes(operator)) this.adhoc = true
    this.push(filter, parameter.replace(/\[.*$/, '') + operator)
  }

  private comparison(parameter: string, text: string, path: FieldPath, operator: Operator): Filter | undefined {
    const { field } = path
    if (operator === 'null') {
      const wanted = /^(true|1)$/i.test(text) ? true : /^(false|0)$/i.test(text) ? false : undefined
      if (wanted === undefined) this.refuse(parameter, `The ${parameter} parameter must be true or false`)
      else this.key += String(wanted)
      return wanted === undefined
        ? undefined
        : { kind: 'compare', path, operator, operand: { kind: 'literal', value: wanted } }
    }
    if (operator === 'in' || operator === 'not_in') return this.anyOf(parameter, text, path, operator)
    if (operator === 'between') {
      const ends = text.split(',')
      if (ends.length !== 2) {
        this.refuse(parameter, `The ${parameter} parameter takes two values with a comma between them`)
        return undefined
      }
      const low = this.comparison(parameter, ends[0]!, path, 'gte')
      const high = this.comparison(parameter, ends[1]!, path, 'lte')
      return low === undefined || high === undefined ? undefined : { kind: 'and', of: [low, high] }
    }
    const day = TEXTUAL.includes(operator) ? undefined : field.type.day?.(text)
    if (day !== undefined) return this.onDay(path, operator, day)
    const value =
      TEXTUAL.includes(operator) && field.type.wire !== 'json'
        ? this.text(parameter, text)
        : this.value(parameter, text, field)
    if (value === undefined) return undefined
    return this.compare(path, operator, comparand(operator, value, field.type.wire === 'json' ? 'json' : 'scalar'))
  }

  /** A plain day means all of it, so each operator takes the end of the day that keeps its meaning. */
  private onDay(path: FieldPath, operator: Operator, { from, before }: { from: string; before: string }): Filter {
    this.key += 'd'
    if (operator === 'gte') return this.compare(path, 'gte', from)
    if (operator === 'gt') return this.compare(path, 'gte', before)
    if (operator === 'lt') return this.compare(path, 'lt', from)
    if (operator === 'lte') return this.compare(path, 'lt', before)
    const during: Filter = { kind: 'and', of: [this.compare(path, 'gte', from), this.compare(path, 'lt', before)] }
    return operator === 'ne' ? { kind: 'not', of: during } : during
  }

  private anyOf(parameter: string, text: string, path: FieldPath, operator: 'in' | 'not_in'): Filter | undefined {
    const words = text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')
    if (words.length > this.longestList) {
      this.refuse(parameter, `The ${parameter} parameter takes at most ${this.longestList} values`)
      return undefined
    }
    if (path.field.type.day !== undefined) {
      this.key += String(words.length)
      const filters = words.map((word) => this.comparison(parameter, word, path, 'eq'))
      if (filters.some((filter) => filter === undefined)) return undefined
      const any: Filter = { kind: 'or', of: filters.filter((filter) => filter !== undefined) }
      return operator === 'in' ? any : { kind: 'not', of: any }
    }
    const values = words.map((word) => this.value(parameter, word, path.field))
    return values.includes(undefined) ? undefined : this.compare(path, operator, values as Json[])
  }

  private value(parameter: string, text: string, field: Field): Json | undefined {
    const decoded = field.type.parse(text, field.options)
    if ('value' in decoded) return decoded.value
    this.refuse(parameter, `The ${parameter} parameter ${decoded.error}`)
    return undefined
  }

  private text(parameter: string, text: string): string | undefined {
    if (!text.includes('\0') && text.isWellFormed()) return text
    this.refuse(parameter, `The ${parameter} parameter must be well-formed text without NUL`)
    return undefined
  }

  private compare(path: FieldPath, operator: Operator, value: Json): Filter {
    const index = this.next++
    this.slots[`v${index}`] = value
    return { kind: 'compare', path, operator, operand: { kind: 'slot', index } }
  }

  private push(filter: Filter, shape: string): void {
    this.filters.push(filter)
    this.key += `&${shape}`
    this.count++
  }
}
