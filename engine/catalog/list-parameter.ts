/** The query parameters that mean something on every list, so that no filter can be called so. */
export const LIST_PARAMETERS: readonly string[] = ['page', 'per_page', 'search', 'sort', 'order', 'cursor', 'where']
