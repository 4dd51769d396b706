-- The fields of a contact that calls write, by the API's names: what an answer shows of them, and what
-- contact.updated compares.
create or replace function messaging.contact_fields(contact messaging.contacts)
returns jsonb language sql stable
return jsonb_build_object(
  'name', contact.name,
  'email', contact.email,
  'company', contact.company,
  'jobTitle', contact.job_title,
  'notes', contact.notes,
  'utmSource', contact.utm_source,
  'utmMedium', contact.utm_medium,
  'utmCampaign', contact.utm_campaign,
  'customLabels', contact.custom_labels,
  'isFavorite', contact.is_favorite,
  'isArchived', contact.is_archived,
  'isBlocked', contact.is_blocked
);
