-- admin-api: a month's sums of an instance beside what its provider bills. `request`: instanceId, month
-- (YYYY-MM, of the instance's time zone), currency (that of the provider's amounts; NULL where it does not
-- tell), points [{category, type, volume, cost}], the provider's.
-- Returns {currency, providerCurrency, categories and types [{key, delivered, providerVolume, estimatedCost,
-- unknown, providerCost}], total (the same without a key), difference {volumePercent, costPercent}}: the
-- differences of all categories together, of what the provider counts. costPercent is NULL where amounts
-- cannot be compared: without rates, or in two currencies. Error: MI014.
create or replace function public.compare_usage(request jsonb)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  instance constant messaging.instances := messaging.find_instance((request->>'instanceId')::uuid);
  own_currency constant text := (
    select t.currency from messaging.rate_tables t where t.workspace_id = instance.workspace_id
  );
  their_currency constant text := request->>'currency';
  categories constant jsonb := messaging.compared_sums(request, 'category');
begin
  return (
    select jsonb_build_object(
      'currency', own_currency,
      'providerCurrency', their_currency,
      'categories', categories,
      'types', messaging.compared_sums(request, 'type'),
      'total', jsonb_build_object(
        'delivered', coalesce(sum(c.delivered), 0),
        'providerVolume', coalesce(sum(c."providerVolume"), 0),
        'estimatedCost', trim_scale(coalesce(sum(c."estimatedCost"), 0))::text,
        'unknown', coalesce(sum(c.unknown), 0),
        'providerCost', trim_scale(coalesce(sum(c."providerCost"), 0))::text
      ),
      'difference', jsonb_build_object(
        'volumePercent', messaging.difference_percent(
          sum(abs(c.delivered - c."providerVolume")), sum(c."providerVolume")
        ),
        'costPercent', case
          when own_currency = coalesce(their_currency, own_currency) then messaging.difference_percent(
            sum(abs(c."estimatedCost" - c."providerCost")), sum(c."providerCost")
          )
        end
      )
    )
    from jsonb_to_recordset(categories) as c(
      delivered numeric, "providerVolume" numeric, "estimatedCost" numeric, unknown numeric,
      "providerCost" numeric
    )
  );
end;
$$;
