/** Why an attempt failed: the provider's error or the service's own. */
export interface MessageError {
  readonly code: string;
  readonly message: string;
}
