/** All types of field that the engine brings along; plugins add theirs to the list. */
import { bigint } from './bigint.ts'
import { boolean } from './boolean.ts'
import { color } from './color.ts'
import { count } from './count.ts'
import { date } from './date.ts'
import { decimal } from './decimal.ts'
import { email } from './email.ts'
import { enumeration } from './enum.ts'
import type { FieldType } from './field-type.ts'
import { integer } from './integer.ts'
import { json } from './json.ts'
import { list } from './list.ts'
import { bigintReference, reference, stringReference, uuidReference } from './reference.ts'
import { secret } from './secret.ts'
import { sequence } from './sequence.ts'
import { slug } from './slug.ts'
import { string, text } from './string.ts'
import { timestamp } from './timestamp.ts'
import { url } from './url.ts'
import { uuid } from './uuid.ts'

export const FIELD_TYPES: readonly FieldType[] = Object.freeze(
  [
    string,
    text,
    integer,
    bigint,
    decimal,
    boolean,
    date,
    timestamp,
    enumeration,
    email,
    url,
    color,
    slug,
    sequence,
    list,
    json,
    uuid,
    secret,
    count,
    reference,
    bigintReference,
    uuidReference,
    stringReference,
  ].map((type) => Object.freeze(type)),
)

export { slugify } from './slug.ts'
export { wireJson } from './wire.ts'
