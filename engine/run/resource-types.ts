/** The types of an application's records as `plinth types --write` writes them, and general ones where it did not. */
import type { JsonObject } from '../json.ts'

/**
 * Resource → the types of its records. Empty here: the file that `plinth types --write` makes adds the application's own
 * by `declare module 'plinth'`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: an interface is what a module of types can add to
export interface ResourceTypes {}

/** The types of one resource. */
export interface RecordTypes {
  /** A record on its own. */
  readonly record: object
  /** A record in a list. */
  readonly item: object
  readonly create: object
  readonly update: object
}

/** What is known of the records of a resource whose types nobody wrote down. */
export interface AnyRecord {
  readonly record: JsonObject
  readonly item: JsonObject
  readonly create: JsonObject
  readonly update: JsonObject
}

/** The types of a resource by its name. */
export type TypesOf<Name extends string> = Name extends keyof ResourceTypes
  ? ResourceTypes[Name] & RecordTypes
  : AnyRecord

/** A record on its own, `RecordOf<'bookings'>`. */
export type RecordOf<Name extends string> = TypesOf<Name>['record']
