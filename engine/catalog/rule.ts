/** Rules about records that are written: conditions, moves, and values that follow from others. */
import type { WorkingTime } from '../calendar/working-time.ts'
import type { ActionName } from '../definition/definition.ts'
import type { Operand } from '../filter/filter.ts'
import type { Span } from '../text/source.ts'
import type { Access, Field, FieldPath, Filter, ManyToMany, Selection } from './field.ts'

export type WriteAction = Exclude<ActionName, 'list' | 'get'>

/** One key of a condition of a rule. */
export interface RulePart {
  readonly of: 'when' | 'must'
  readonly filter: Filter
  readonly span: Span
}

/** What must hold of a record whenever it is written. */
export interface RecordRule {
  readonly name: string
  readonly on: ReadonlySet<WriteAction>
  /** Judged only where one of these columns changes. */
  readonly reads: ReadonlySet<string>
  readonly when: Filter | undefined
  readonly must: Filter
  /** `when` and `must` by their keys, for people who ask why. */
  readonly parts: readonly RulePart[]
  readonly says: string
  /** Whether it looks at fields whose change alone it does not judge. */
  readonly narrow: boolean
  /** The joining tables whose pairs it looks at. They are written after the record, so it is judged then. */
  readonly links: ReadonlySet<string>
  /** Whether writes to the other records that it looks at are judged by it too. */
  readonly always: boolean
  /** The field that gets the sentence, with 422; undefined: 409. */
  readonly at: Field | undefined
  readonly span: Span
}

/** One step from a record towards others, by columns: its own key leads there, theirs leads here, or a pair joins the two. */
export type WayStep =
  | { readonly kind: 'to' | 'from'; readonly column: string; readonly table: string }
  | { readonly kind: 'link'; readonly table: string; readonly through: ManyToMany['through'] }

/** A rule of records that others look at, or that look at others. */
interface DistantRule {
  readonly rule: RecordRule
  /** The resource whose records the rule is about, and its table. */
  readonly resource: string
  readonly table: string
  /** From such a record to what is written. */
  readonly way: readonly WayStep[]
}

/** A rule of other records that a write to this resource can break. */
export interface ForeignRule extends DistantRule {
  /** The columns of the written table that the rule looks at. */
  readonly reads: ReadonlySet<string>
  /** Whether it asks which records there are: one that comes or goes can break it too. */
  readonly asked: boolean
}

/** A rule that a pair of a joining table can break; the way leads to the records of one of its sides. */
export interface LinkRule extends DistantRule {
  readonly through: string
  /** The column of the joining table that leads there. */
  readonly near: string
}

interface TableRule {
  readonly name: string
  /** The groups that are looked at by themselves: records with equal values here. */
  readonly per: readonly Field[]
  /** Judged only where one of these columns changes. */
  readonly reads: ReadonlySet<string>
  readonly span: Span
}

/** How many live records of a kind there are, at least or at most. */
export interface CountRule extends TableRule {
  readonly least: number | undefined
  readonly most: number | undefined
  readonly where: Filter | undefined
  readonly says: string
  readonly at: Field | undefined
}

/** One live record alone has a yes in this field; one that gets it takes it from the other. */
export interface SoleRule extends TableRule {
  /** The resource that says so; the record that loses its yes is written as one of its records. */
  readonly resource: string
  readonly field: Field
  /** The part of the table that the resource is. */
  readonly where: Filter | undefined
}

/** No two live records overlap in time: an index of the database refuses the second. */
export interface OverlapRule extends TableRule {
  readonly from: Field
  readonly to: Field
  /** Live, and as the rule says. */
  readonly where: Filter | undefined
  readonly says: string
  readonly at: Field | undefined
}

/** One way in which a value may follow another; undefined words mean every word. */
export interface Move {
  /** All of them hold together; none: everybody who may change the record. */
  readonly access: readonly Access[]
  readonly from: ReadonlySet<string> | undefined
  readonly to: ReadonlySet<string> | undefined
  readonly span: Span
}

/** Which value of a field may follow which. */
export interface Moves {
  /** The field or relation as it is written. */
  readonly name: string
  readonly field: Field
  /** The path to the word: the field itself, or one of the record that it leads to. */
  readonly path: FieldPath
  /** The words there can be; undefined: any text. */
  readonly words: readonly string[] | undefined
  readonly allow: readonly Move[]
  /** The sentence for a refused move; undefined: one that names the move. */
  readonly says: string | undefined
  /** Whether single answers say which moves are open to their caller. */
  readonly shown: boolean
  readonly span: Span
}

/** The calendar that counts: the only one, or the one that a field of the record names. */
export interface ChosenCalendar {
  /** By name, the key by which its hours are found. */
  readonly keys: ReadonlyMap<string, string>
  readonly by: { readonly value: Value; readonly as: Field } | undefined
}

/** A length of time: so many units of so many seconds. */
export interface Amount {
  readonly seconds: number
  readonly of: Value
  /** What holds the number. */
  readonly as: Field
}

/** A value that a write gives: known from the request, from the record, or made of others. */
export type Value =
  | { readonly kind: 'operand'; readonly operand: Operand }
  | { readonly kind: 'selection'; readonly selection: Selection }
  /** A value of the record as it would be, or as it is stored. */
  | { readonly kind: 'record' | 'before'; readonly path: FieldPath }
  /** The first that is there. */
  | { readonly kind: 'first'; readonly of: readonly Value[] }
  | { readonly kind: 'sum' | 'difference' | 'product' | 'quotient'; readonly of: readonly Value[] }
  /** A moment or a day so much time later or earlier; with a calendar only its working time counts. */
  | {
      readonly kind: 'later' | 'earlier'
      readonly than: Value
      /** As an interval of PostgreSQL, or amounts that are added. */
      readonly by: string | readonly Amount[]
      readonly calendar: ChosenCalendar | undefined
    }
  /** How many units of so many seconds lie between two moments; none when the second is not later. */
  | {
      readonly kind: 'between'
      readonly from: Value
      readonly to: Value
      /** What holds a moment. */
      readonly as: Field
      readonly seconds: number
      readonly calendar: ChosenCalendar | undefined
    }
  /** The moment at which so many milliseconds of working time have passed after the request. */
  | { readonly kind: 'working'; readonly working: WorkingTime }
  /** Words with values between them. */
  | { readonly kind: 'text'; readonly of: readonly (string | Value)[] }

/** What follows from a write: fields that get a value, each time it concerns them. */
export interface Follow {
  /** `import` means records that an import creates. */
  readonly on: ReadonlySet<'create' | 'update' | 'import'>
  /** One of these must change; undefined: whatever changes. A new record counts as changed. */
  readonly changed: readonly Field[] | undefined
  readonly when: Filter | undefined
  readonly set: readonly { readonly field: Field; readonly value: Value }[]
  /** The columns of the record that the condition and the values look at. */
  readonly reads: ReadonlySet<string>
  readonly span: Span
}

/** What follows in another record: it gets the values by an update of the program itself, in the transaction of the write. */
export interface RelatedFollow extends Omit<Follow, 'on' | 'reads'> {
  /** A record that is deleted is judged as it was before. */
  readonly on: ReadonlySet<'create' | 'update' | 'import' | 'delete' | 'restore'>
  /** The foreign key that names the other record. */
  readonly of: FieldPath
  /** The relations that lead there, as written. */
  readonly way: string
  /** The resource that owns the other record's table. */
  readonly target: string
  /** Whose writes it follows from; none: everybody's. */
  readonly access: readonly Access[]
}
