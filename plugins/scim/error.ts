/** Refusals in the form of SCIM (RFC 7644, section 3.12). */
import { ApiError, memo, type Route } from '../../engine/index.ts'

export const SCIM_TYPE = 'application/scim+json'

/** The words for what is wrong with a request (RFC 7644, table 9). */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'
  | 'sensitive'

const typeOf = memo((_: ApiError): { type?: ScimType } => ({}))

/** A refusal with its word: 409 for a value that is taken, else 400. */
export function refused(type: ScimType, detail: string): ApiError {
  const error = new ApiError(type === 'uniqueness' ? 'conflict' : 'bad_request', { message: detail })
  typeOf(error).type = type
  return error
}

/** Writes any refusal as clients of SCIM read it. */
export const refuse: NonNullable<Route['refuse']> = (error) => {
  const { detail, scimType, status } = formOf(error)
  const body = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail,
  }
  return { status, type: SCIM_TYPE, body: JSON.stringify(body) }
}

interface Form {
  readonly status: number
  readonly scimType?: ScimType | undefined
  readonly detail: string
}

function formOf(error: ApiError): Form {
  const { code, message, params, status } = error
  if (code === 'validation_failed') return invalidForm(params.errors ?? {}, message)
  if (code === 'malformed_body') return { status: 400, scimType: 'invalidSyntax', detail: message }
  return { status, scimType: typeOf(error).type, detail: message }
}

/** Fields that are wrong: 409 where a value is taken, else 400, with all sentences. */
function invalidForm(errors: NonNullable<ApiError['params']['errors']>, message: string): Form {
  const all = Object.values(errors).flat()
  const isTaken = all.some((one) => typeof one !== 'string' && one.code === 'taken')
  const detail = all.map(String).join('; ') || message
  return isTaken ? { status: 409, scimType: 'uniqueness', detail } : { status: 400, scimType: 'invalidValue', detail }
}
